package behaviours

import "slices"

// All are the behaviours, in the order of the table.
var All = slices.Concat(
	topic("limits", limits), topic("schemas and values", values), topic("failures", failures), topic("retry", retries),
	topic("forEach, parallel, graphs", parts), topic("cancel", cancels), topic("questions", questions),
	topic("resume", resumes), topic("in-doubt calls", doubts), topic("recorded runs", past),
)

func topic(name string, some []*Behaviour) []*Behaviour {
	for _, b := range some {
		b.Topic = name
	}
	return some
}
