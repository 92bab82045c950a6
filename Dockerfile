# The image of a release. It has the executable, certificates and directories; nothing else, and no image below it.
# Servers on Node or Python need an image with these, which copies /usr/bin/toolgraph from this one.
#
# The build context has the executable of each platform as OS/ARCH/toolgraph, as GoReleaser lays it out, and rootfs.tar:
#   CGO_ENABLED=0 GOOS=linux GOARCH=amd64 go build -trimpath -o context/linux/amd64/toolgraph .
#   go run ./internal/tools/release image context/rootfs.tar /etc/ssl/certs/ca-certificates.crt
#   docker build --platform linux/amd64 -f Dockerfile context
FROM scratch
ARG TARGETPLATFORM
ADD rootfs.tar /
COPY $TARGETPLATFORM/toolgraph /usr/bin/toolgraph
USER 65532:65532
ENV HOME=/state TOOLGRAPH_STATE=/state PATH=/usr/bin
WORKDIR /graph
VOLUME /state
ENTRYPOINT ["/usr/bin/toolgraph"]
