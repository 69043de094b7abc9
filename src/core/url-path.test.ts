import { expect, it } from 'bun:test';
import { pathOf } from './url-path.ts';

it.each([
  ['http://a.example/v1/models?key=x', '/v1/models'],
  ['http://a.example:3000/', '/'],
  ['http://a.example/a/?b=/c', '/a/'],
  ['http://a.example', '/'],
])('%s has the path %s', (url, path) => {
  expect(pathOf(url)).toBe(path);
});
