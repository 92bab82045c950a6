// Package observe watches: it makes the logger that the other rooms are given, and
// the observers that count, log and trace runs. It changes nothing.
package observe
