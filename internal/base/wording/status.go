package wording

// Status returns the word that people read for what a run, or a step or part of one, is doing or how it has ended. Most are stored
// and sent as they are read. The others are values of formats that programs read, and stay as they are there: tables, sentences
// and the page (lib/status.js) have these words for them.
func Status[S ~string](stored S) string {
	switch stored {
	case "error": // of a run
		return "failed"
	case "not_started": // likewise
		return "starting"
	case "stopped": // likewise, by the debugger
		return "cancelled"
	case "runs": // of a step or part, as the next
		return "running"
	case "waits":
		return "not begun"
	case "none":
		return "not run"
	}
	return string(stored)
}
