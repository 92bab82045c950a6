package npm

import (
	"errors"
	"strings"
	"testing"
)

func TestKeyNamesTheSetInAnyOrder(t *testing.T) {
	one, two := key([]string{"@a/b@1.0.0", "c@2"}), key([]string{"c@2", "@a/b@1.0.0"})
	if one != two {
		t.Errorf("the same packages have two folders, %s and %s", one, two)
	}
	if other := key([]string{"@a/b@1.0.1", "c@2"}); other == one {
		t.Error("another version has the same folder")
	}
	if strings.ContainsAny(one, "/@") {
		t.Errorf("%s is no name of one folder", one)
	}
}

func TestInstallWithoutNode(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := Install(t.Context(), "left@1"); !errors.Is(err, ErrAbsent) {
		t.Errorf("got %v, want %v", err, ErrAbsent)
	}
}
