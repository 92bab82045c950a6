package program

import (
	"fmt"
	"os"

	"toolgraph/internal/base/keychain"
	"toolgraph/internal/runtime"
	"toolgraph/mcpclient"
)

// TokenStoreVariable says where tokens of logins are stored: auto, which is the default, system or file.
const TokenStoreVariable = "TOOLGRAPH_TOKEN_STORE"

// tokenStore returns what the variable says, for all processes of a user alike.
func tokenStore() (mcpclient.Option, error) {
	switch where := os.Getenv(TokenStoreVariable); where {
	case "", "auto":
		return mcpclient.WithSecretStore(keychain.Store{Service: "toolgraph"}, false), nil
	case "system":
		return mcpclient.WithSecretStore(keychain.Store{Service: "toolgraph"}, true), nil
	case "file":
		return mcpclient.WithSecretStore(nil, false), nil
	default:
		return nil, &runtime.OptionsError{Err: fmt.Errorf("%s is %q, expected auto, system or file", TokenStoreVariable, where)}
	}
}
