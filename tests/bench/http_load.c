// Sends the same kind of HTTP request over many kept-alive connections to 127.0.0.1 and reports how
// fast they were answered. One thread, so that it takes little from the server it measures.
//
//   http_load PORT CLIENTS SECONDS RATE PATH TYPE FILE LINES
//
// RATE: requests a second in all, 0 for as many as are answered. LINES: lines of FILE in each body,
// again from its start when it is at its end; 0 for the whole file. Prints one JSON object.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { HEAD_MAX = 512, ANSWER_HEAD_MAX = 4096, LATENCIES_MAX = 4000000 };

struct client {
  int fd;
  bool busy;
  char head[HEAD_MAX];
  size_t head_size;
  const char* body;
  size_t body_size;
  size_t sent;
  char answer[ANSWER_HEAD_MAX];  // its head, then the last bytes of its body
  size_t answer_size;
  size_t left;  // of a body whose length is known
  bool in_body;
  bool chunked;
  double started;
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void die(const char* what) {
  perror(what);
  exit(1);
}

static char* text;
static size_t text_size;
static size_t text_at;
static long lines_per_body;
static const char* path;
static const char* type;
static double* latencies;
static size_t answers;
static size_t errors;
static size_t body_bytes;

static void read_file(const char* name) {
  FILE* file = fopen(name, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
    die(name);
  }
  text_size = (size_t)ftell(file);
  rewind(file);
  text = malloc(text_size + 1);
  if (text == NULL || fread(text, 1, text_size, file) != text_size) {
    die(name);
  }
  fclose(file);
}

static void next_body(struct client* c) {
  if (lines_per_body == 0) {
    c->body = text;
    c->body_size = text_size;
    return;
  }
  size_t end = text_at;
  long lines = 0;
  while (lines < lines_per_body && end < text_size) {
    const char* newline = memchr(text + end, '\n', text_size - end);
    end = newline == NULL ? text_size : (size_t)(newline - text) + 1;
    ++lines;
  }
  c->body = text + text_at;
  c->body_size = end - text_at;
  text_at = end >= text_size ? 0 : end;
}

static void start(struct client* c) {
  next_body(c);
  c->head_size = (size_t)snprintf(c->head, HEAD_MAX,
                                  "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\n"
                                  "Content-Length: %zu\r\n\r\n",
                                  path, type, c->body_size);
  c->sent = 0;
  c->answer_size = 0;
  c->in_body = false;
  c->busy = true;
  c->started = now();
  body_bytes += c->body_size;
}

// Sends what the socket takes.
static void pump(struct client* c) {
  while (c->sent < c->head_size + c->body_size) {
    const bool head = c->sent < c->head_size;
    const char* from = head ? c->head + c->sent : c->body + (c->sent - c->head_size);
    const size_t size = head ? c->head_size - c->sent : c->head_size + c->body_size - c->sent;
    const ssize_t n = send(c->fd, from, size, MSG_NOSIGNAL | (head ? MSG_MORE : 0));
    if (n < 0) {
      if (errno == EAGAIN) {
        return;
      }
      die("send");
    }
    c->sent += (size_t)n;
  }
}

static void finish(struct client* c) {
  if (answers < LATENCIES_MAX) {
    latencies[answers] = now() - c->started;
  }
  ++answers;
  errors += memcmp(c->answer, "HTTP/1.1 2", 10) != 0;
  c->busy = false;
}

// Takes bytes of an answer; its end is told by its length or by the last chunk.
static void take(struct client* c, const char* bytes, size_t size) {
  if (!c->in_body) {
    if (c->answer_size + size > ANSWER_HEAD_MAX - 1) {
      size = ANSWER_HEAD_MAX - 1 - c->answer_size;
    }
    memcpy(c->answer + c->answer_size, bytes, size);
    c->answer_size += size;
    c->answer[c->answer_size] = 0;
    const char* end = strstr(c->answer, "\r\n\r\n");
    if (end == NULL) {
      return;
    }
    c->in_body = true;
    const size_t head = (size_t)(end - c->answer) + 4;
    const char* length = strcasestr(c->answer, "content-length:");
    c->chunked = length == NULL || length > end;
    c->left = c->chunked ? 0 : strtoul(length + 15, NULL, 10);
    bytes = c->answer + head;
    size = c->answer_size - head;
  }
  if (c->chunked) {
    if (size >= 5 && memcmp(bytes + size - 5, "0\r\n\r\n", 5) == 0) {
      finish(c);
    }
  } else {
    c->left -= size < c->left ? size : c->left;
    if (c->left == 0) {
      finish(c);
    }
  }
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

static double percentile(double p) {
  const size_t kept = answers < LATENCIES_MAX ? answers : LATENCIES_MAX;
  return kept == 0 ? 0 : latencies[(size_t)(p * (double)(kept - 1))] * 1e3;
}

int main(int argc, char** argv) {
  if (argc != 9) {
    fputs("usage: http_load PORT CLIENTS SECONDS RATE PATH TYPE FILE LINES\n", stderr);
    return 2;
  }
  const int count = atoi(argv[2]);
  const double seconds = atof(argv[3]);
  const double rate = atof(argv[4]);
  path = argv[5];
  type = argv[6];
  read_file(argv[7]);
  lines_per_body = atol(argv[8]);
  latencies = calloc(LATENCIES_MAX, sizeof *latencies);
  struct client* clients = calloc((size_t)count, sizeof *clients);
  const int poll = epoll_create1(0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[1]))};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (int i = 0; i < count; ++i) {
    clients[i].fd = socket(AF_INET, SOCK_STREAM, 0);
    const int one = 1;
    setsockopt(clients[i].fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(clients[i].fd, (struct sockaddr*)&address, sizeof address) != 0) {
      die("connect");
    }
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = &clients[i]};
    epoll_ctl(poll, EPOLL_CTL_ADD, clients[i].fd, &event);
  }
  static char bytes[1 << 16];
  const double began = now();
  size_t asked = 0;
  int busy = 0;
  for (;;) {
    const double elapsed = now() - began;
    busy = 0;
    for (int i = 0; i < count; ++i) {
      struct client* c = &clients[i];
      const bool due = rate == 0 || (double)asked < elapsed * rate;
      if (!c->busy && due && elapsed < seconds) {
        start(c);
        pump(c);
        ++asked;
      }
      busy += c->busy;
    }
    if (busy == 0 && elapsed >= seconds) {
      break;
    }
    struct epoll_event events[64];
    const int ready = epoll_wait(poll, events, 64, rate == 0 ? 1000 : 1);
    for (int i = 0; i < ready; ++i) {
      struct client* c = events[i].data.ptr;
      pump(c);
      for (;;) {
        const ssize_t n = recv(c->fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (n == 0) {
          die("the server closed a connection");
        }
        if (n < 0) {
          break;
        }
        take(c, bytes, (size_t)n);
      }
    }
  }
  const double elapsed = now() - began;
  const size_t kept = answers < LATENCIES_MAX ? answers : LATENCIES_MAX;
  qsort(latencies, kept, sizeof *latencies, by_size);
  printf(
      "{\"requests\":%zu,\"errors\":%zu,\"seconds\":%.3f,\"body_bytes\":%zu,\"p50_ms\":%.2f,"
      "\"p99_ms\":%.2f}\n",
      answers, errors, elapsed, body_bytes, percentile(0.5), percentile(0.99));
  return 0;
}
