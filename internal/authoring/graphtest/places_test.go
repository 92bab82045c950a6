package graphtest

import "testing"

// A path is replaced where it stands by itself, and comes back the same.
func TestPathsStandByThemselves(t *testing.T) {
	p := places{{directoryPlace, "/app"}, {tempPlace, "/app/tmp-1"}}
	for text, want := range map[string]string{
		"/app":                           "{directory}",
		"/app/a.txt and /app, /app.":     "{directory}/a.txt and {directory}, {directory}.",
		"file:///app/a":                  "file://{directory}/a",
		`{"at":"/app/tmp-1/x"}`:          `{"at":"{temp}/x"}`,
		"/apple /app-2 /app_3 /appétit":  "/apple /app-2 /app_3 /appétit",
		"https://example.com/app ../app": "https://example.com/app ../app",
		"/app/tmp-12":                    "{directory}/tmp-12",
	} {
		if got := p.emptyText(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
		if got := p.fillText(want); got != text {
			t.Errorf("%s: filled as %s, want %s", want, got, text)
		}
	}
}
