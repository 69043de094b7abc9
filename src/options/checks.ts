/** Checks that several options share. Each answers the reason why a text is refused, or null. */
import { z } from 'zod';
import type { Text } from '../core/errors.ts';
import { policyOrigin } from '../core/web-address.ts';
import { parsePorts } from '../platform/outgoing.ts';

/** `auto` will mean "the first group that can serve the call"; nobody may name a group so. */
const RESERVED_GROUPS: readonly string[] = ['auto'];

/** There always is this one; whoever is in a group that is gone pays as it does. */
export const DEFAULT_GROUP = 'default';

const GROUP_MAX = 64;

/** Group names stand in comma lists on the wire. */
export function checkGroupName(name: string): Text | null {
  if (RESERVED_GROUPS.includes(name)) {
    return { zh: `分组名 ${name} 是保留名称`, en: `the group name ${name} is reserved` };
  }
  if (name.trim() === name && name !== '' && name.length <= GROUP_MAX && !/[,\p{Cc}]/u.test(name))
    return null;
  return {
    zh: `分组名“${name}”无效：1 到 ${GROUP_MAX} 个字符，不含逗号，首尾没有空格`,
    en: `the group name "${name}" is invalid: 1 to ${GROUP_MAX} characters, no comma, no space around it`,
  };
}

export function checkGroupNames(names: Iterable<string>): Text | null {
  for (const name of names) {
    const reason = checkGroupName(name);
    if (reason) return reason;
  }
  return null;
}

/** An absolute http or https address, or empty. */
export function checkUrl(text: string): Text | null {
  if (text === '' || (/^https?:\/\//i.test(text) && URL.canParse(text))) return null;
  return {
    zh: '必须是以 http:// 或 https:// 开头的地址',
    en: 'must be an address that begins with http:// or https://',
  };
}

/** The address of a picture on our pages, whose host their policy names; or empty. */
export const checkPicture = (text: string): Text | null =>
  text === '' || policyOrigin(text) !== ''
    ? checkUrl(text)
    : {
        zh: '必须是以 http:// 或 https:// 开头、主机名不含特殊字符的地址',
        en: 'must be an address that begins with http:// or https:// and a host without special characters',
      };

const email = z.email();

/** A mailbox, or empty. */
export const checkEmail = (text: string): Text | null =>
  text === '' || email.safeParse(text).success
    ? null
    : { zh: '必须是邮箱地址', en: 'must be an email address' };

/** An absolute http or https address without path, as origins are compared: one host, not many. */
export function checkOrigin(text: string): Text | null {
  if (text !== '' && policyOrigin(text) === text) return null;
  return {
    zh: `“${text}”不是来源地址，例如 https://app.example.com`,
    en: `"${text}" is not an origin such as https://app.example.com`,
  };
}

/** A port, or a range of them. */
export const checkPorts = (text: string): Text | null =>
  parsePorts(text)
    ? null
    : {
        zh: `“${text}”不是端口，例如 8080 或 8000-8100`,
        en: `"${text}" is not a port such as 8080 or 8000-8100`,
      };
