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
	golden(t, "steps.out", err.Error()+"\n")
}
