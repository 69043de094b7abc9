import { expect, it } from 'bun:test';
import { isPageOld } from './go-to-provider.ts';

const POLICY = "default-src 'self'; form-action 'self' https://pay.example; base-uri 'none'";

it.each([
  ['a page that may not post to the gateway', 'form-action', 'https://other.example', true],
  [
    'a gateway that it may post to, and that leads on to elsewhere',
    'form-action',
    'https://pay.example',
    false,
  ],
  ['another port of it', 'form-action', 'https://pay.example:8443', true],
  ['what else a page may not do', 'connect-src', 'https://other.example', false],
])('tells an old page: %s', (_what, effectiveDirective, gateway, isOld) => {
  expect(isPageOld({ effectiveDirective, originalPolicy: POLICY }, gateway)).toBe(isOld);
});
