package jsonata_test

import (
	"strings"
	"testing"

	"toolgraph/expressions/jsonata"
)

// What reads the context as a whole, and which names are fields of something else.
func TestContextUse(t *testing.T) {
	for source, want := range map[string]string{
		"found.files":                         "",
		"$.found.files":                       "",
		"$$.found[size > 3].name":             "size",
		"$":                                   "whole",
		"$keys($$)":                           "whole",
		"*":                                   "whole",
		"**.name":                             "whole",
		"found.*":                             "",
		"found.files.$":                       "",
		"$[found.n > 1]":                      "whole",
		"orders.{'u': users[id = $.user]}":    "users id",
		"orders^(>price).id":                  "price",
		"$map(users, function($u) { $u.id })": "",
		"$map(users, function($u) { names })": "",
		"$count(a) + b":                       "",
		"$string()":                           "whole",
		"$string(a)":                          "",
		"$lookup('a')":                        "whole",
		"$substring(a, 1)":                    "",
		"$now()":                              "",
		"($x := $$; $x.a)":                    "whole",
		"a{kind: $sum(price)}":                "kind price",
		"a.(b; c)":                            "b c",
	} {
		e, err := jsonata.Compile(t.Context(), source)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		use := e.ContextUse()
		var got []string
		if use.Whole {
			got = append(got, "whole")
		}
		for _, f := range use.Fields {
			got = append(got, f.Path[0])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", source, strings.Join(got, " "), want)
		}
	}
}
