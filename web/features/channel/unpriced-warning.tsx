import { Link } from '@tanstack/react-router';
import { Gap } from '@/components/gap.tsx';
import type { Form } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { FieldWarning } from './field-warning.tsx';
import type { ChannelValues } from './form.ts';
import { pricesOf, useMayPrice, useUnpriced } from './use-unpriced.ts';

const NAMED = 3;

interface UnpricedWarningProps {
  form: Form<ChannelValues>;
  /** Undefined for a new channel. */
  channelId: number | undefined;
}

/** Below the models of a channel: those that have no price. It can be saved all the same. */
export function UnpricedWarning({ form, channelId }: UnpricedWarningProps) {
  const { t } = useTranslation();
  const mayPrice = useMayPrice();
  const unpriced = useUnpriced(form.values.models);
  if (unpriced.length === 0) return null;
  const names = unpriced.slice(0, NAMED).join(t('app.comma'));
  const count = unpriced.length - NAMED;
  return (
    <FieldWarning>
      {count > 0 ? t('channel.unpricedMany', { names, count }) : t('channel.unpriced', { names })}
      <Gap />
      {!mayPrice ? (
        t('channel.pricedByRoot')
      ) : channelId === undefined || form.dirty ? (
        t('channel.pricedLater')
      ) : (
        <Link {...pricesOf(channelId)} className="hit text-accent-text">
          {t('channel.setPrices')}
        </Link>
      )}
    </FieldWarning>
  );
}
