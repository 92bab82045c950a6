# The image of a release. It has the executable, certificates and directories; nothing else. Servers on Node or Python
# need an image with these, which copies /usr/bin/toolgraph from this one.
#
# The build context has the executable of each platform as OS/ARCH/toolgraph, as GoReleaser lays it out:
#   CGO_ENABLED=0 GOOS=linux GOARCH=amd64 go build -trimpath -o context/linux/amd64/toolgraph .
#   docker build --platform linux/amd64 -f Dockerfile context
FROM --platform=$BUILDPLATFORM alpine:3 AS base
RUN apk add --no-cache ca-certificates && \
    mkdir -p /image/etc/ssl/certs /image/graph /image/state /image/tmp && \
    cp /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/ && \
    chown 65532:65532 /image/state && chmod 700 /image/state && chmod 1777 /image/tmp

FROM scratch
ARG TARGETPLATFORM
COPY --from=base /image/ /
COPY $TARGETPLATFORM/toolgraph /usr/bin/toolgraph
USER 65532:65532
ENV HOME=/state TOOLGRAPH_STATE=/state PATH=/usr/bin
WORKDIR /graph
VOLUME /state
ENTRYPOINT ["/usr/bin/toolgraph"]
