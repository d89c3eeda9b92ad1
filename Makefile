# make run ARGS='analyze samples/hnsw-page-walk'

GO ?= go
ARGS ?= --help
BENCH ?= .
BENCHTIME ?= 1s
FUZZTIME ?= 10s
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)

.PHONY: run build deps test bench lint fmt fuzz

run:
	@$(GO) run ./cmd/pgassay $(ARGS)

build:
	$(GO) build -trimpath -ldflags '-s -w -X main.release=$(VERSION)' -o bin/pgassay ./cmd/pgassay

deps:
	@bash .ci/deps

test: deps
	$(GO) test -race -timeout 20m ./...

bench:
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchtime $(BENCHTIME) -benchmem ./...

# Formatting, vet and staticcheck. All with -race, as the tests, so that the C
# code of pg_query is compiled once.
lint:
	@files=$$(gofmt -l .); if [ -n "$$files" ]; then echo "gofmt would change:"; echo "$$files"; exit 1; fi
	$(GO) vet -race ./...
	GOFLAGS="$$($(GO) env GOFLAGS) -race" $$($(GO) tool -n staticcheck) ./...

fmt:
	gofmt -w .

# Each fuzz test for FUZZTIME.
fuzz:
	@set -e; for dir in $$($(GO) list -f '{{.Dir}}' ./...); do \
	  cd "$$dir"; for name in $$($(GO) test -list '^Fuzz' . | grep '^Fuzz' || true); do \
	    echo "$$dir $$name"; $(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) .; \
	  done; done
