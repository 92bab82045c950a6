//go:build !linux && !darwin

package observe

// systemFamilies are none where the operating system is not asked.
func systemFamilies() []family { return nil }
