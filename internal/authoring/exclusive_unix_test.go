//go:build unix

package authoring

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
)

// Toolkits of several processes on one file lose nothing of each other: a lock on a
// directory is one of its open file, so two in one process keep each other out as well.
func TestTwoToolkitsLoseNothing(t *testing.T) {
	const each = 15
	one := kit(t, graphFile)
	two := New(Options{Graph: one.opts.Graph, AllowWrite: true})
	defer two.Close()
	var adding sync.WaitGroup
	for name, k := range map[string]*Toolkit{"one": one, "two": two} {
		adding.Go(func() {
			for i := range each {
				got := k.answerTo(t, "addGraphTool", fmt.Sprintf(`{"tool":{"name":"%s_%d","description":"d","nodes":[
					{"id":"entry","type":"entry","next":"exit"},{"id":"exit","type":"exit"}]}}`, name, i))
				if !strings.Contains(got, `"success":true`) {
					t.Errorf("%s %d: %s", name, i, got)
				}
			}
		})
	}
	adding.Wait()
	src, err := os.ReadFile(one.opts.Graph)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one", "two"} {
		if got := strings.Count(string(src), "name: "+name+"_"); got != each {
			t.Errorf("%d tools of %s are in the file, expected %d", got, name, each)
		}
	}
}
