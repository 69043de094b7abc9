import { defineConfig } from 'drizzle-kit';

/** `logs` is left out: it is partitioned, which drizzle-kit cannot write, so its migration is made with `--custom`. */
export default defineConfig({
  dialect: 'postgresql',
  schema: [
    'user',
    'channel',
    'model-hub',
    'money',
    'wallet',
    'activity',
    'desk',
    'system',
    'task',
    'token-request',
    'supplier',
    'oauth',
  ].map((name) => `./src/db/schema/${name}.ts`),
  out: './drizzle',
});
