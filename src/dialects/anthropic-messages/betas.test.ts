import { expect, it } from 'bun:test';
import { BY_SECRET } from '../../../tests/support/alike-names.ts';
import { codeOf } from '../../../tests/support/code-of.ts';
import { cheapBetas } from './betas.ts';

it('takes of a caller’s betas each once that costs nothing, and no header of betas alike', async () => {
  expect(cheapBetas('web-fetch-2025-09-10, fast-mode-2026-01-01,web-fetch-2025-09-10,skills')).toBe(
    'web-fetch-2025-09-10,skills',
  );
  const alike = BY_SECRET.latin(500).join();
  expect(await codeOf((async () => cheapBetas(alike))())).toBe('invalid_request');
});
