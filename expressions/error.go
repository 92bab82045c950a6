package expressions

// SyntaxError is a source that does not compile. Offset is the byte in the source.
type SyntaxError struct {
	Offset  int
	Token   string // what was found there, or empty
	Message string // lower case: found and expected
	Hint    string // one remedy, or empty
}

func (e *SyntaxError) Error() string { return e.Message }

// EvalError is an evaluation that failed. Its text never holds values of the context.
type EvalError struct {
	Code    string // JSONata's code (T2001 …) or ours (timeout, depth, size …)
	Message string
	Offset  int   // byte in the source of the failing part; -1 when unknown
	Err     error // the context's cause, or nil
}

func (e *EvalError) Error() string { return e.Message }
func (e *EvalError) Unwrap() error { return e.Err }

// ErrorCode is Code.
func (e *EvalError) ErrorCode() string { return e.Code }
