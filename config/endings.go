package config

// The endings of the files that belong to a graph file X.yaml.
const (
	TestEnding     = ".test.yaml"
	LockEnding     = ".lock.yaml"
	CassetteEnding = ".cassette.json"
)
