package mcpclient

import "testing"

func TestSuggest(t *testing.T) {
	known := []string{"list_directory", "read_file", "write_file"}
	for _, c := range []struct{ name, want string }{
		{"read_fil", `did you mean "read_file"?`},
		{"Read_File", `did you mean "read_file"?`},
		{"list_dir", `did you mean "list_directory"?`},
		{"zzz", "it may be one of list_directory, read_file, write_file"},
	} {
		if got := suggest(c.name, known); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	if got := suggest("x", nil); got != "" {
		t.Errorf("got %q of nothing", got)
	}
}
