import { expect, it } from 'bun:test';
import { createSecrets } from '../../platform/secrets.ts';
import { sealMarks } from './seal-marks.ts';

const secrets = createSecrets('b3Vycw==');
const account = (value: string, organization = '') => ({
  channel: { organization },
  key: { value },
});

it('tells accounts, models and items apart, and knows each again', () => {
  const marks = [
    sealMarks(account('sk-a'), 'm', { secrets })('rs_1'),
    sealMarks(account('sk-a'), 'm', { secrets })('rs_2'),
    sealMarks(account('sk-a'), 'm', { secrets })(undefined),
    sealMarks(account('sk-a'), 'n', { secrets })('rs_1'),
    sealMarks(account('sk-a', 'org-1'), 'm', { secrets })('rs_1'),
    sealMarks(account('sk-b'), 'm', { secrets })('rs_1'),
    sealMarks(account('sk-a'), 'm', { secrets: createSecrets('b3RoZXJz') })('rs_1'),
  ];
  expect(new Set(marks).size).toBe(marks.length);
  for (const mark of marks) expect(mark).toMatch(/^[\w-]{16}$/);
  expect(sealMarks(account('sk-a'), 'm', { secrets })('rs_1')).toBe(marks[0] ?? '');
  // Another key of the same organisation.
  expect(sealMarks(account('sk-b', 'org-1'), 'm', { secrets })('rs_1')).toBe(marks[4] ?? '');
});
