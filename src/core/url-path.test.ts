import { expect, it } from 'bun:test';
import { inSingleSlashes, isRewritten, pathOf } from './url-path.ts';

it.each([
  ['http://a.example/v1/models?key=x', '/v1/models'],
  ['http://a.example:3000/', '/'],
  ['http://a.example/a/?b=/c', '/a/'],
  ['http://a.example', '/'],
])('%s has the path %s', (url, path) => {
  expect(pathOf(url)).toBe(path);
});

it.each([
  ['http://a.example/v1/models?a=//b', 'http://a.example/v1/models?a=//b'],
  ['http://a.example', 'http://a.example'],
  ['http://a.example//', 'http://a.example/'],
  ['http://a.example:80//v1///models//?a=//b', 'http://a.example:80/v1/models/?a=//b'],
  ['http://a.example/\\evil.example\\\\x?a=\\\\b', 'http://a.example/evil.example/x?a=\\\\b'],
  ['http://a.example/v1?a=http://b.example//c', 'http://a.example/v1?a=http://b.example//c'],
])('%s is %s in single slashes', (url, single) => {
  expect(inSingleSlashes(url)).toBe(single);
});

it.each([
  'https://a.example/v1/../admin',
  'https://a.example/v1/..',
  'https://a.example/v1/./models',
  'https://a.example/v1/%2e%2e/admin',
  'https://a.example/v1/.%2E/admin?x=1',
  'https://a.example/v1\\..\\admin',
  'https://a.example/v1/.\t./admin',
  'https://a.example/v1/ /admin',
  '/v1/models',
])('%s is not what is called', (url) => {
  expect(isRewritten(url)).toBe(true);
});

it.each([
  'https://a.example',
  'https://a.example/',
  'https://a.example/v1/models/a..b:generate?x=../y',
  'https://a.example//v1/@cf/meta/llama%2F..?a=b/c#/../',
  'wss://a.example:8443/v1/...',
  'http://[::1]:3000/v1',
])('%s is called as it stands', (url) => {
  expect(isRewritten(url)).toBe(false);
});
