package value_test

import (
	"fmt"

	"toolgraph/expressions/value"
)

// JSON keeps the order of its keys and the digits of its numbers on the way through a run.
func Example() {
	v, err := value.Decode([]byte(`{"zeta": 12345678901234567890, "alpha": [1, null]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	if object, ok := value.ObjectOf(v); ok {
		fmt.Println(object.Keys())
	}
	out, err := value.Encode(v)
	fmt.Println(string(out), err)
	// Output:
	// [zeta alpha]
	// {"zeta":12345678901234567890,"alpha":[1,null]} <nil>
}

// FromPlain converts what encoding/json decodes, Plain converts back.
func ExampleFromPlain() {
	v := value.FromPlain(map[string]any{"n": 1, "list": []any{nil, true}})
	out, err := value.Encode(v)
	fmt.Println(string(out), err)
	fmt.Println(value.Plain(v))
	// Output:
	// {"list":[null,true],"n":1} <nil>
	// map[list:[<nil> true] n:1]
}
