/** Whether calls of models without a price are wanted. */
import { useId } from 'react';
import { Switch } from '@/components/ui/checkbox.tsx';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { notifySettingOf, type SectionProps } from './personal.ts';
import { Row } from './section.tsx';
import { useSwitch } from './use-switch.ts';

export function PriceSection({ personal: { account } }: SectionProps) {
  const { t } = useTranslation();
  const api = useApi();
  const id = useId();
  const [accepts, change] = useSwitch(notifySettingOf(account).accept_unset_model_ratio_model, (next) =>
    api.send('PUT', '/api/user/setting', { body: { accept_unset_model_ratio_model: next } }),
  );
  return (
    <Row
      label={t('personal.acceptUnpriced')}
      htmlFor={id}
      help={t('personal.acceptUnpricedHelp')}
      helpId={`${id}-help`}
    >
      <span className="flex min-h-8 items-center gap-2 text-sm">
        <Switch
          id={id}
          checked={accepts}
          aria-describedby={`${id}-help`}
          onChange={(event) => void change(event.target.checked)}
        />
        <span aria-hidden="true">{t(accepts ? 'setting.on' : 'setting.off')}</span>
      </span>
    </Row>
  );
}
