// Package fleet tests several processes of toolgraph serve that share one run history, as their clients
// see them: behind a balancer, while processes are killed and restarted.
package fleet
