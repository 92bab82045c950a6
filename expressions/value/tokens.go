package value

// bytesPerToken is how many bytes of JSON are about one token of a model.
const bytesPerToken = 4

// TokensSaved estimates how many tokens fewer a model reads when it reads so many bytes of JSON (out) in place of others (in).
// It is never below 0.
func TokensSaved(in, out int) int { return max(0, (in-out)/bytesPerToken) }
