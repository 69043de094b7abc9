/** What a channel form knows of prices: which of its models have none, and the word of it when the form has gone. */
import { can } from '@core/roles.ts';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { notify } from '@/lib/notify.ts';
import { useApi, useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { unpricedAmong } from './calls.ts';

/** So long nothing more must be chosen before it is asked for. */
const PAUSE_MS = 300;

/** Where a channel's models are priced. */
export const pricesOf = (id: number) =>
  ({ to: '/setting', search: { sub: 'unpriced', channel: String(id) } }) as const;

/** Prices are root's. */
export const useMayPrice = (): boolean => can(useBoot().user?.role ?? 0, 'canManageOptions');

/** Those of the models that nothing prices, as far as that is known. */
export function useUnpriced(models: readonly string[]): readonly string[] {
  const api = useApi();
  const [found, setFound] = useState<readonly string[]>([]);
  // Names hold no comma.
  const names = models.join(',');
  useEffect(() => {
    if (names === '') return;
    let isPast = false;
    const timer = setTimeout(async () => {
      const unpriced = await unpricedAmong(api, names.split(','));
      if (!isPast) setFound(unpriced);
    }, PAUSE_MS);
    return () => {
      isPast = true;
      clearTimeout(timer);
    };
  }, [api, names]);
  const present = new Set(models);
  return found.filter((name) => present.has(name));
}

/** Says of a channel that was saved how many of its models have no price, with the way to set it. */
export function useTellUnpriced(): (id: number, models: readonly string[]) => Promise<void> {
  const { t } = useTranslation();
  const api = useApi();
  const router = useRouter();
  const mayPrice = useMayPrice();
  return async (id, models) => {
    const { length: count } = await unpricedAmong(api, models);
    if (count === 0) return;
    const action = { label: t('channel.setPrices'), run: () => void router.navigate(pricesOf(id)) };
    notify({ tone: 'plain', text: t('channel.savedUnpriced', { count }), ...(mayPrice && { action }) });
  };
}
