package files

// before is called before each change that Changing announces; nil outside of tests.
var before func(what, path string)

// Changing announces a change of the disk, so that tests can end the process there.
func Changing(what, path string) {
	if before != nil {
		before(what, path)
	}
}

// OnChange lets a test do something before each change that Changing announces, until it calls the function it gets. What is
// create, write, rename or remove, of the file at the path or of what takes its place.
func OnChange(do func(what, path string)) (end func()) {
	before = do
	return func() { before = nil }
}
