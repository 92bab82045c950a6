// Package upgrade reads what earlier programs wrote: graph files, locks, cassettes, stores of runs, audit logs, registries, and
// entries of hosts. Each directory of testdata is of one program, made by testdata/make.sh, and is never changed.
package upgrade
