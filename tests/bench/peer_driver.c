// Loads an embeddable SQL engine's shared library and runs SQL against a store on disk, as that
// engine's own command line would: no scripting runtime in the measured process.
//
//   peer_driver duckdb|chdb LIBRARY STORE script FILE     runs the statements of FILE
//   peer_driver duckdb|chdb LIBRARY STORE cold            runs one statement from standard input
//   peer_driver duckdb|chdb LIBRARY STORE hot RUNS FILE   runs each statement RUNS times, one JSON
//                                                         object a statement
//
// Statements are separated by ";;". The environment's SETUP holds statements run after opening;
// SHOW=1 prints results (chdb only).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double clock_ms(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void die(const char* what, const char* why) {
  fprintf(stderr, "peer_driver: %s: %s\n", what, why != NULL ? why : "?");
  exit(1);
}

static void* symbol(void* library, const char* name) {
  void* found = dlsym(library, name);
  if (found == NULL) {
    die(name, dlerror());
  }
  return found;
}

// What is used of DuckDB's C interface.
typedef struct {
  uint64_t fields[3];
  void* pointers[3];
} DuckResult;
static struct {
  int (*open)(const char*, void**, void*, char**);
  int (*connect)(void*, void**);
  int (*query)(void*, const char*, DuckResult*);
  const char* (*error)(DuckResult*);
  void (*destroy)(DuckResult*);
  uint64_t (*rows)(DuckResult*);
  uint64_t (*columns)(DuckResult*);
  char* (*text)(DuckResult*, uint64_t, uint64_t);
  void (*disconnect)(void**);
  void (*close)(void**);
  void* database;
  void* connection;
} duck;

// What is used of ClickHouse's (chdb's) C interface.
static struct {
  void** (*connect)(int, char**);
  void* (*query)(void*, const char*, const char*);
  const char* (*error)(void*);
  char* (*buffer)(void*);
  size_t (*length)(void*);
  void (*destroy)(void*);
  void (*close)(void**);
  void** connection;
} chdb;

static bool is_duck;
static bool shows;

static void open_duck(void* library, const char* store) {
  duck.open = symbol(library, "duckdb_open_ext");
  duck.connect = symbol(library, "duckdb_connect");
  duck.query = symbol(library, "duckdb_query");
  duck.error = symbol(library, "duckdb_result_error");
  duck.destroy = symbol(library, "duckdb_destroy_result");
  duck.rows = symbol(library, "duckdb_row_count");
  duck.columns = symbol(library, "duckdb_column_count");
  duck.text = symbol(library, "duckdb_value_varchar");
  duck.disconnect = symbol(library, "duckdb_disconnect");
  duck.close = symbol(library, "duckdb_close");
  char* error = NULL;
  if (duck.open(store, &duck.database, NULL, &error) != 0) {
    die("open", error);
  }
  if (duck.connect(duck.database, &duck.connection) != 0) {
    die("connect", "refused");
  }
}

static void open_chdb(void* library, const char* store) {
  chdb.connect = symbol(library, "chdb_connect");
  chdb.query = symbol(library, "chdb_query");
  chdb.error = symbol(library, "chdb_result_error");
  chdb.buffer = symbol(library, "chdb_result_buffer");
  chdb.length = symbol(library, "chdb_result_length");
  chdb.destroy = symbol(library, "chdb_destroy_query_result");
  chdb.close = symbol(library, "chdb_close_conn");
  char path[4096];
  snprintf(path, sizeof path, "--path=%s", store);
  char* arguments[] = {"clickhouse", path, NULL};
  chdb.connection = chdb.connect(2, arguments);
  if (chdb.connection == NULL || *chdb.connection == NULL) {
    die("connect", "refused");
  }
}

// Writes the first three rows as text.
static void duck_head(DuckResult* result, char* head, size_t size) {
  const uint64_t rows = duck.rows(result);
  const uint64_t columns = duck.columns(result);
  size_t used = 0;
  for (uint64_t row = 0; row < rows && row < 3; row++) {
    for (uint64_t column = 0; column < columns && used < size; column++) {
      char* cell = duck.text(result, column, row);
      const int wrote = snprintf(head + used, size - used, "%s%s", cell != NULL ? cell : "null",
                                 column + 1 == columns ? " / " : ",");
      free(cell);
      used += wrote > 0 ? (size_t)wrote : 0;
    }
  }
}

static long long run_duck(const char* sql, char* head, size_t size) {
  DuckResult result;
  if (duck.query(duck.connection, sql, &result) != 0) {
    fprintf(stderr, "error: %s\nin: %.200s\n", duck.error(&result), sql);
    duck.destroy(&result);
    return -1;
  }
  const long long rows = (long long)duck.rows(&result);
  if (size > 0) {
    duck_head(&result, head, size);
  }
  duck.destroy(&result);
  return rows;
}

static long long run_chdb(const char* sql, char* head, size_t size) {
  void* result = chdb.query(*chdb.connection, sql, "JSONCompactEachRow");
  const char* error = result != NULL ? chdb.error(result) : "no result";
  if (error != NULL && *error != '\0') {
    fprintf(stderr, "error: %.400s\nin: %.200s\n", error, sql);
    return -1;
  }
  const size_t length = chdb.length(result);
  const char* text = chdb.buffer(result);
  long long rows = 0;
  for (size_t i = 0; i < length; i++) {
    rows += text[i] == '\n';
  }
  if (shows) {
    fwrite(text, 1, length, stdout);
  }
  if (size > 0) {
    snprintf(head, size, "%.*s", (int)(length < size ? length : size - 1), text);
  }
  chdb.destroy(result);
  return rows;
}

// The number of result rows, or -1. DuckDB hands over chunks in memory, ClickHouse JSON text.
static long long run(const char* sql, char* head, size_t size) {
  return is_duck ? run_duck(sql, head, size) : run_chdb(sql, head, size);
}

static char* read_all(FILE* in) {
  size_t size = 0;
  size_t capacity = 1 << 16;
  char* text = malloc(capacity);
  while (text != NULL) {
    const size_t got = fread(text + size, 1, capacity - size - 1, in);
    if (got == 0) {
      text[size] = '\0';
      return text;
    }
    size += got;
    capacity *= 2;
    text = realloc(text, capacity);
  }
  die("read", "out of memory");
  return NULL;
}

static char* read_path(const char* path) {
  FILE* in = fopen(path, "r");
  if (in == NULL) {
    die("cannot open", path);
  }
  char* text = read_all(in);
  fclose(in);
  return text;
}

// Cuts the next statement off *rest; NULL at the end.
static char* next_statement(char** rest) {
  while (*rest != NULL) {
    char* statement = *rest;
    char* end = strstr(statement, ";;");
    *rest = end != NULL ? end + 2 : NULL;
    if (end != NULL) {
      *end = '\0';
    }
    statement += strspn(statement, " \n");
    if (*statement != '\0') {
      return statement;
    }
  }
  return NULL;
}

static void print_json_string(const char* text) {
  putchar('"');
  for (; *text != '\0'; text++) {
    if (*text == '"' || *text == '\\') {
      putchar('\\');
    }
    putchar((unsigned char)*text < 32 ? ' ' : *text);
  }
  putchar('"');
}

static int run_script(char* statements) {
  for (char* sql = next_statement(&statements); sql != NULL; sql = next_statement(&statements)) {
    if (run(sql, NULL, 0) < 0) {
      return 1;
    }
  }
  return 0;
}

static void time_statement(const char* sql, int runs) {
  double* used = calloc((size_t)runs, sizeof *used);
  long long rows = 0;
  printf("{\"ms\":[");
  for (int i = 0; i < runs && rows >= 0; i++) {
    const double start = clock_ms(CLOCK_MONOTONIC);
    const double cpu = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
    rows = run(sql, NULL, 0);
    printf("%s%.3f", i > 0 ? "," : "", clock_ms(CLOCK_MONOTONIC) - start);
    used[i] = clock_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  }
  printf("],\"cpu\":[");
  for (int i = 0; i < runs; i++) {
    printf("%s%.3f", i > 0 ? "," : "", used[i]);
  }
  free(used);
  char head[400] = "";
  if (rows >= 0) {
    run(sql, head, sizeof head);
  }
  printf("],\"rows\":%lld,\"head\":", rows);
  print_json_string(head);
  printf("}\n");
  fflush(stdout);
}

int main(int argc, char** argv) {
  if (argc < 5) {
    die("usage", "peer_driver duckdb|chdb LIBRARY STORE script|cold|hot ...");
  }
  is_duck = strcmp(argv[1], "duckdb") == 0;
  shows = getenv("SHOW") != NULL;
  void* library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    die("dlopen", dlerror());
  }
  (is_duck ? open_duck : open_chdb)(library, argv[3]);
  const char* setup = getenv("SETUP");
  int status = setup != NULL ? run_script(strdup(setup)) : 0;
  const bool cold = strcmp(argv[4], "cold") == 0;
  if (status == 0 && cold) {
    status = run(read_all(stdin), NULL, 0) < 0;
  } else if (status == 0 && strcmp(argv[4], "script") == 0 && argc > 5) {
    status = run_script(read_path(argv[5]));
  } else if (status == 0 && argc > 6) {
    char* rest = read_path(argv[6]);
    for (char* sql = next_statement(&rest); sql != NULL; sql = next_statement(&rest)) {
      time_statement(sql, atoi(argv[5]));
    }
  }
  fflush(stdout);
  if (!cold) {  // a cold query changed nothing, and the engines take their time to close
    if (is_duck) {
      duck.disconnect(&duck.connection);
      duck.close(&duck.database);
    } else {
      chdb.close(chdb.connection);
    }
  }
  _Exit(status);
}
