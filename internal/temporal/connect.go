package temporal

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/converter"
	sdklog "go.temporal.io/sdk/log"

	"toolgraph/internal/telemetry/observe"
)

// connection says where the Temporal server is and how a client logs in there. What is empty is
// taken from Temporal's own environment variables and configuration file.
type connection struct {
	address, namespace  string
	profile, configFile string

	tls              bool // the other fields of TLS imply it
	ca               string
	certificate, key string
	serverName       string

	apiKeyFile string
	keysFile   string // of keys that encrypt payloads

	worker    bool                    // the client is that of a worker
	patience  time.Duration           // 0: defaultPatience
	converter converter.DataConverter // set by dial: that of the client
}

// register adds the flags of a connection. Apart from --api-key-file they have the names that the
// temporal CLI gives them; a key on a command line could be read by every user of the machine.
func (c *connection) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&c.address, "address", "", "`host:port` of the Temporal server (default $TEMPORAL_ADDRESS, or "+client.DefaultHostPort+")")
	flags.StringVar(&c.namespace, "namespace", "", "Temporal `namespace` (default $TEMPORAL_NAMESPACE, or "+client.DefaultNamespace+")")
	flags.BoolVar(&c.tls, "tls", false, "connect with TLS, and trust the authorities of this machine (default $TEMPORAL_TLS)")
	flags.StringVar(&c.ca, "tls-ca-path", "", "PEM `file` with the authorities to trust instead")
	flags.StringVar(&c.certificate, "tls-cert-path", "", "PEM `file` with the certificate of this client, for mutual TLS")
	flags.StringVar(&c.key, "tls-key-path", "", "PEM `file` with the key of that certificate")
	flags.StringVar(&c.serverName, "tls-server-name", "", "`name` that the server's certificate must have, if it is not the host of the address")
	flags.StringVar(&c.apiKeyFile, "api-key-file", "", "`file` with the API key, read again when it changes (default $TEMPORAL_API_KEY); implies TLS")
	flags.StringVar(&c.keysFile, "encryption-keys", "", "`file` with the keys that encrypt what Temporal stores, the first one encrypts (default $"+keysVariable+")")
	flags.StringVar(&c.configFile, "config-file", "", "Temporal's configuration `file` in TOML (default $TEMPORAL_CONFIG_FILE, or temporalio/temporal.toml in the user's configuration directory)")
	flags.StringVar(&c.profile, "profile", "", "`name` of the profile in the configuration file (default $TEMPORAL_PROFILE, or default)")
}

// defaultPatience bounds each question to the server while the client connects.
const defaultPatience = 5 * time.Second

// dial connects to the server, and checks that the namespace exists and the client may use it. An
// error names the remedy. measure gets the metrics of the SDK; nil: they are
// not collected. The caller closes the client.
func (c *connection) dial(ctx context.Context, log *slog.Logger, measure *observe.Measures) (client.Client, error) {
	options, err := c.options()
	if err != nil {
		return nil, err
	}
	keys, err := loadKeys(c.keysFile)
	if err != nil {
		return nil, err
	}
	withKeys(&options, keys, c.worker)
	c.namespace, c.converter = options.Namespace, options.DataConverter
	options.MetricsHandler = handlerOf(measure)
	options.Logger = sdklog.NewStructuredLogger(log)
	options.ConnectionOptions.GetSystemInfoTimeout = cmp.Or(c.patience, defaultPatience)
	connected, err := client.DialContext(ctx, options)
	if err != nil {
		return nil, explain(ctx, &options, err)
	}
	if err := checkNamespace(ctx, connected, &options); err != nil {
		connected.Close()
		return nil, err
	}
	return connected, nil
}

// options returns the options of the SDK: those of the environment and the configuration file, and
// over them those of the flags.
func (c *connection) options() (client.Options, error) {
	profile, err := envconfig.LoadClientConfigProfile(envconfig.LoadClientConfigProfileOptions{
		ConfigFilePath: c.configFile, ConfigFileProfile: c.profile,
	})
	if err != nil {
		return client.Options{}, fmt.Errorf("the settings of Temporal cannot be read: %w; check the configuration file and the variables TEMPORAL_…", err)
	}
	if err := c.override(&profile); err != nil {
		return client.Options{}, err
	}
	options, err := profile.ToClientOptions(envconfig.ToClientOptionsRequest{})
	if err != nil {
		return client.Options{}, fmt.Errorf("%w; expected PEM files: --tls-ca-path, --tls-cert-path and --tls-key-path", err)
	}
	options.HostPort = cmp.Or(options.HostPort, client.DefaultHostPort)
	options.Namespace = cmp.Or(options.Namespace, client.DefaultNamespace)
	if err := c.credentials(&options, profile.APIKey); err != nil {
		return client.Options{}, err
	}
	if t := options.ConnectionOptions.TLS; t != nil {
		t.MinVersion = tls.VersionTLS12
		if host, _, err := net.SplitHostPort(options.HostPort); err == nil {
			t.ServerName = cmp.Or(t.ServerName, host)
		}
	}
	return options, nil
}

// override puts the flags over a profile.
func (c *connection) override(profile *envconfig.ClientConfigProfile) error {
	profile.Address = cmp.Or(c.address, profile.Address)
	profile.Namespace = cmp.Or(c.namespace, profile.Namespace)
	if _, _, err := net.SplitHostPort(profile.Address); profile.Address != "" && err != nil {
		return fmt.Errorf("the address of the Temporal server is %q, expected host:port, such as %s", profile.Address, client.DefaultHostPort)
	}
	if !c.tls && c.ca+c.certificate+c.key+c.serverName == "" {
		return nil
	}
	t := envconfig.ClientConfigTLS{}
	if profile.TLS != nil {
		t = *profile.TLS
	}
	t.Disabled = false
	t.ServerName = cmp.Or(c.serverName, t.ServerName)
	if c.ca != "" {
		t.ServerCACertPath, t.ServerCACertData = c.ca, nil
	}
	if c.certificate+c.key != "" {
		t.ClientCertPath, t.ClientCertData = c.certificate, nil
		t.ClientKeyPath, t.ClientKeyData = c.key, nil
	}
	profile.TLS = &t
	return nil
}

// credentials sets the API key. A key is not sent in plain text to another machine.
func (c *connection) credentials(options *client.Options, key string) error {
	if c.apiKeyFile != "" {
		file := &keyFile{path: c.apiKeyFile}
		if _, err := file.read(context.Background()); err != nil {
			return err
		}
		options.Credentials = client.NewAPIKeyDynamicCredentials(file.read)
		if options.ConnectionOptions.TLS == nil && !options.ConnectionOptions.TLSDisabled {
			options.ConnectionOptions.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
		}
	} else if key == "" {
		return nil
	} else if err := checkAPIKey("$TEMPORAL_API_KEY", key); err != nil {
		return err
	}
	if options.ConnectionOptions.TLS == nil && !isLoopback(options.HostPort) {
		return fmt.Errorf("TLS is disabled, and the API key would travel to %s in plain text; remove TEMPORAL_TLS=false, or the key", options.HostPort)
	}
	return nil
}

func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// checkNamespace asks for the namespace. A server that does not answer this question is believed.
func checkNamespace(ctx context.Context, connected client.Client, options *client.Options) error {
	ctx, cancel := context.WithTimeout(ctx, options.ConnectionOptions.GetSystemInfoTimeout)
	defer cancel()
	_, err := connected.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: options.Namespace})
	var unimplemented *serviceerror.Unimplemented
	if err == nil || errors.As(err, &unimplemented) {
		return nil
	}
	return explain(ctx, options, err)
}

// maxKeyFile is far more than an API key has, in bytes.
const maxKeyFile = 64 << 10

// keyFile is a file with an API key.
type keyFile struct{ path string }

// read returns the key. It is called for each request, so that a new key needs no restart.
func (f *keyFile) read(context.Context) (string, error) {
	src, err := readSecretFile(f.path, maxKeyFile)
	if err != nil {
		return "", fmt.Errorf("--api-key-file: %w", err)
	}
	key := strings.TrimSpace(string(src))
	return key, checkAPIKey(f.path, key)
}

func checkAPIKey(from, key string) error {
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fmt.Errorf("%s has no API key, expected one line of printable ASCII", from)
	}
	return nil
}

// readSecretFile reads a small file that only its owner may read.
func readSecretFile(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, fmt.Errorf("%s has %d bytes and mode %v, expected a regular file of at most %d bytes", path, info.Size(), info.Mode(), most)
	}
	if othersMayRead(info) {
		return nil, fmt.Errorf("other users may read %s (mode %04o); make it private with: chmod 600 %s", path, info.Mode().Perm(), path)
	}
	return os.ReadFile(path)
}
