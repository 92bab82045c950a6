// Package pgtest gives tests places on a real Postgres server: a test goes in, the URL of a schema that
// nothing else uses, or of an empty database, comes out. The server is started once in a test process, in
// a directory of its own, and ends with the process, also when that is killed. It belongs to tests alone
// and knows nothing of what is stored there.
package pgtest
