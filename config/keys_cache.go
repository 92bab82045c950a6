package config

const dayMs = 86_400_000 // the milliseconds of a day

// cacheForm has the keys of cache.
var cacheForm = lazyForm(func() *form {
	return &form{
		name: "cache", doc: "Gives the answer of a call again to equal calls of the same process.",
		keys: []key{
			{name: "ttlMs", doc: "How long an answer is given again, in milliseconds.", value: atLeastOne(dayMs, 60_000), required: true, badRange: true},
		},
	}
})

// rateForm has the keys of rate.
var rateForm = lazyForm(func() *form {
	return &form{
		name: "rate", doc: "How many calls the server gets in a time: so many at once, then evenly as many in each perMs.",
		keys: []key{
			{name: "calls", doc: "The number of calls.", value: atLeastOne(100_000, 10), required: true, badRange: true},
			{name: "perMs", doc: "The time in which so many calls become possible again, in milliseconds.", value: atLeastOne(dayMs, 1000), required: true, badRange: true},
		},
	}
})

// atLeastOne is a number from 1 to most, without a default.
func atLeastOne(most, example int) value {
	v := wholeNumber(0, most).withoutDefault()
	v["examples"] = []any{example}
	return v
}
