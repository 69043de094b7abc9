/** Which addresses a channel may have. Names are judged again at each call, by the address they resolve to. */
import { fail } from '../../core/errors.ts';
import type { Env } from '../../env.ts';
import { inRanges, isPublicAddress, parseAddress } from '../../platform/networks.ts';

/** The address as it is stored. `{model}` may stand in a full address, where the upstream's model goes. */
export const cleanAddress = (text: string): string => text.trim().replace(/\/+$/, '');

const invalid = (zh: string, en: string) => fail('CHANNEL_ADDRESS', { params: { reason: { zh, en } } });

const isLocalName = (host: string) =>
  host === 'localhost' || host.endsWith('.localhost') || !/[.:]/.test(host);

/** Throws CHANNEL_ADDRESS. `privateAllowed`: root asks. */
export function checkAddress(
  address: string,
  { privateAllowed, env }: { privateAllowed: boolean; env: Pick<Env, 'PRIVATE_EGRESS'> },
): void {
  if (address === '') return;
  const plain = address.replaceAll('{model}', 'model');
  if (!/^https?:\/\//i.test(plain) || !URL.canParse(plain)) {
    throw invalid('必须以 http:// 或 https:// 开头', 'it must begin with http:// or https://');
  }
  const url = new URL(plain);
  if (url.username || url.password || url.hash) {
    throw invalid('不能包含用户名、密码或 #', 'it must not hold a user name, a password or a #');
  }
  if (url.origin !== new URL(address.replaceAll('{model}', 'other')).origin) {
    throw invalid('主机名不能包含 {model}', 'its host must not hold {model}');
  }
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const ip = parseAddress(host);
  const isPrivate = ip ? !isPublicAddress(ip) && !inRanges(ip, env.PRIVATE_EGRESS) : isLocalName(host);
  if (isPrivate && !privateAllowed) {
    throw invalid('内网地址只能由超级管理员设置', 'only root may set a private address');
  }
}
