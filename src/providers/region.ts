/** Regions stand in the names of hosts: anything but a plain name would lead to a host of the writer's choice. */
import { TokenRefused } from './provider.ts';

const REGION = /^[a-z0-9-]{1,40}$/;

export const isRegion = (text: string): boolean => REGION.test(text);

/** The region itself. Throws TokenRefused where it is none. */
export function regionIn(text: string): string {
  if (isRegion(text)) return text;
  throw new TokenRefused({ status: 401, text: '{"error":"the region is not valid"}' }, []);
}
