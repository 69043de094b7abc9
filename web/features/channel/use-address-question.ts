import { cleanAddress } from '@modules/channel/facts.ts';
import { useConfirm } from '@/components/confirm.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import type { ChannelType } from './channel.ts';
import { type ChannelValues, warnsOfV1 } from './form.ts';

/** Asks before an address is saved that ends with `/v1`: true when it does not, or is meant so. */
export function useAddressQuestion() {
  const { t } = useTranslation();
  const confirm = useConfirm();
  return async (values: ChannelValues, type: ChannelType | undefined): Promise<boolean> => {
    if (!warnsOfV1(values, type)) return true;
    return confirm({
      title: t('channel.v1Title'),
      body: t('channel.v1Body', { address: cleanAddress(values.baseUrl) }),
      action: t('channel.v1Keep'),
      keep: t('channel.v1Change'),
    });
  };
}
