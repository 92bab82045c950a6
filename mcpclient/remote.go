package mcpclient

import (
	"context"
)

func (u *upstream) connectRemote(context.Context) (*session, *Error) {
	return nil, u.fault(CodeTransport, "not reachable yet")
}

func unreachable(error) bool { return false }
