// One `evq serve` over a store of its own, started for a test file and stopped by its own handle.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export async function startServer() {
  const store = mkdtempSync(join(tmpdir(), 'evq-clients-'));
  const evq = process.env.EVQ;
  const child = spawn(evq, ['--store', store, 'serve', '--listen', '127.0.0.1:0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  let token;
  const url = await new Promise((resolve, reject) => {
    ended.then((status) => reject(new Error(`${evq} ended with ${status}`)));
    createInterface({ input: child.stderr }).on('line', (line) => {
      token ??= /first token.*\s(\S+)$/.exec(line)?.[1];
      const found = /listening on (\S+)/.exec(line);
      if (found) resolve(found[1]);
    });
  });
  return {
    url,
    token,
    async stop() {
      child.kill('SIGTERM');
      const status = await ended;
      rmSync(store, { recursive: true, force: true });
      return status;
    },
  };
}
