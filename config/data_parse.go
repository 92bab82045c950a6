package config

// ParseData reads free-form YAML or JSON, with the caps and rules of graph files but
// no form to keep to; path is what the bytes are called. The error is Diagnostics.
func ParseData(path string, src []byte) (*Data, error) {
	root, found := readItems(path, src)
	if root == nil {
		return nil, sorted(found)
	}
	d := &decoder{path: path, file: &File{Path: path, Secrets: &Secrets{}}, found: found}
	data := d.data(root)
	return data, sorted(d.found).Err()
}
