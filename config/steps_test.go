package config

import (
	"os"
	"testing"
)

// Every mistake in the keys of steps is found at its place, with what is written instead.
func TestStepForms(t *testing.T) {
	src, err := os.ReadFile("testdata/steps.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Parse("steps.yaml", src, Options{})
	if err == nil {
		t.Fatal("the file has no findings")
	}
	got := err.Error() + "\n"
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile("testdata/steps.out", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/steps.out")
	if err != nil || got != string(want) {
		t.Errorf("the findings differ from testdata/steps.out (%v); UPDATE_GOLDEN=1 writes them:\n%s", err, got)
	}
}
