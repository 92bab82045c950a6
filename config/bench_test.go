package config

import (
	"os"
	"testing"
)

func BenchmarkLoad(b *testing.B) {
	src, err := os.ReadFile("../internal/cli/starter.yaml")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("g.yaml", src, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
