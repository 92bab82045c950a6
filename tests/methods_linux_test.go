package tests

import (
	"debug/elf"
	"testing"

	"toolgraph/tests/testbin"
)

// Nothing in the program calls methods by name. Where anything does, the linker keeps every method of every type that
// it knows, and the program is 4 MB larger, as with package text/template or validator 10.27 and later.
func TestNothingCallsMethodsByName(t *testing.T) {
	t.Parallel()
	file, err := elf.Open(testbin.Build(t, "toolgraph"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		t.Skip(err) // a stripped program of TOOLGRAPH_TEST_PROGRAMS
	}
	for _, s := range symbols {
		if s.Name == "reflect.(*Value).MethodByName" { // nothing calls it: it is there when all methods are
			t.Errorf("the program has %s; who calls it? go build -ldflags=-dumpdep . 2>&1 | grep ReflectMethod", s.Name)
		}
	}
}
