/** What of a channel nobody is told in an upstream's words. */
import type { RoutedChannel } from '../../modules/channel/model.ts';
import { secretTexts } from '../../modules/channel/secrets.ts';

/** Its key, all that authorises beside it, and the host of the address that is asked. */
export const hiddenOfChannel = (
  { baseUrl, setting, paramOverride }: Pick<RoutedChannel, 'baseUrl' | 'setting' | 'paramOverride'>,
  key: string,
  url: string,
): string[] => [
  key,
  ...secretTexts({
    base_url: baseUrl,
    setting: { headers: setting.headers },
    param_override: paramOverride ?? {},
  }),
  ...(URL.canParse(url) ? [new URL(url).hostname] : []),
];
