package temporal

import (
	"context"
	"log/slog"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
)

// connection says where the Temporal server is.
type connection struct{ address, namespace string }

func (c *connection) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.address, "address", "", "`host:port` of the Temporal server (default "+client.DefaultHostPort+")")
	cmd.Flags().StringVar(&c.namespace, "namespace", "", "Temporal `namespace` (default "+client.DefaultNamespace+")")
}

// dial connects to the server.
func (c *connection) dial(ctx context.Context, log *slog.Logger) (client.Client, error) {
	return client.DialContext(ctx, client.Options{HostPort: c.address, Namespace: c.namespace, Logger: sdklog.NewStructuredLogger(log)})
}
