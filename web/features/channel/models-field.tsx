import { cleanAddress } from '@modules/channel/facts.ts';
import { useRef, useState } from 'react';
import { ChipPicker } from '@/components/chip-picker.tsx';
import { CopyButton } from '@/components/copy-button.tsx';
import { LinkButton } from '@/components/ui/button.tsx';
import { Field } from '@/components/ui/field.tsx';
import { entriesOf } from '@/lib/entries.ts';
import { errorText } from '@/lib/error-text.ts';
import { late } from '@/lib/late.tsx';
import { useApi } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import type { Form } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { fetchModels, fetchModelsOf, unpricedAmong } from './calls.ts';
import type { ChannelType } from './channel.ts';
import type { ChannelValues } from './form.ts';
import { UnpricedWarning } from './unpriced-warning.tsx';

const ModelChoice = late(() => import('./model-choice-dialog.tsx').then((module) => module.ModelChoice));

interface ModelsFieldProps {
  form: Form<ChannelValues>;
  type: ChannelType | undefined;
  /** Id of the saved channel, whose own key can be used; undefined for a new one. */
  channelId?: number;
}

/** The models of a channel: typed, pasted, the type's own, or those that the upstream lists. */
export function ModelsField({ form, type, channelId }: ModelsFieldProps) {
  const { t } = useTranslation();
  const api = useApi();
  const [known, setKnown] = useState<readonly string[]>([]);
  const [said, setSaid] = useState('');
  const { models, key, baseUrl, other } = form.values;

  const [offer, setOffer] = useState<{ listed: readonly string[]; unpriced: readonly string[] } | null>(null);

  // The upstream may take its time to answer: what was chosen meanwhile stays.
  const present = useRef(models);
  present.current = models;
  const fetching = useAction(async () => {
    setSaid('');
    if (!key.trim() && channelId === undefined) return setSaid(t('channel.fillKey'));
    const names =
      channelId !== undefined && !key.trim()
        ? await fetchModelsOf(api, channelId)
        : await fetchModels(api, {
            type: Number(form.values.type),
            base_url: cleanAddress(baseUrl),
            key: key.trim(),
            other: other.trim(),
          });
    setKnown(names);
    if (names.length === 0) return setSaid(t('channel.fetchedNone'));
    setOffer({ listed: names, unpriced: await unpricedAmong(api, [...names, ...present.current]) });
  });
  const take = (next: string[]) => {
    const before = new Set(present.current);
    const count = next.filter((name) => !before.has(name)).length;
    form.set('models', next);
    setSaid(t('channel.fetched', { total: offer?.listed.length ?? 0, n: count }));
    setOffer(null);
  };
  const nameRepeated = (entries: readonly string[]) => {
    const repeated = entries.filter((entry) => models.includes(entry));
    setSaid(repeated.length > 0 ? t('channel.modelsExist', { names: repeated.join(', ') }) : '');
  };

  const id = form.id('models');
  return (
    <Field
      id={id}
      label={
        <>
          {t('channel.models')}
          {models.length > 0 && (
            <span className="ml-2 text-xs font-normal text-muted">
              {t('channel.modelsChosen', { count: models.length })}
            </span>
          )}
        </>
      }
      required={models.length === 0}
      error={form.error('models')}
    >
      <div
        onPasteCapture={(event) => nameRepeated(entriesOf(event.clipboardData.getData('text')))}
        onKeyDownCapture={({ key, target }) => {
          if (key === 'Enter' && target instanceof HTMLInputElement) nameRepeated(entriesOf(target.value));
        }}
      >
        <ChipPicker
          id={id}
          label={t('channel.models')}
          value={models}
          options={[...new Set([...(type?.models ?? []), ...known])]}
          allowNew
          placeholder={t('channel.modelsPlaceholder')}
          onChange={(value) => form.set('models', value)}
          onBlur={() => form.leave('models')}
          aria-invalid={form.error('models') ? true : undefined}
          aria-describedby={`${id}-error ${id}-said`}
        />
      </div>
      <div className="flex flex-wrap gap-x-3.5 gap-y-1 text-xs max-md:gap-x-5 max-md:gap-y-0 max-md:leading-11">
        {type?.lists_models !== false && (
          <LinkButton onClick={() => void fetching.run()}>
            {t(fetching.pending ? 'channel.fetchingModels' : 'channel.fetchModels')}
          </LinkButton>
        )}
        {type && type.models.length > 0 && (
          <LinkButton onClick={() => form.set('models', [...new Set([...models, ...type.models])])}>
            {t('channel.fillModels')}
          </LinkButton>
        )}
        {models.length > 0 && (
          <CopyButton
            text={models.join(',')}
            label={t('channel.copyModels')}
            variant="ghost"
            size="sm"
            className="link h-auto! p-0! text-xs! text-accent-text! hover:bg-transparent!"
          />
        )}
        {models.length > 0 && (
          <LinkButton
            onClick={() => {
              form.set('models', []);
              setSaid('');
            }}
          >
            {t('channel.clearModels')}
          </LinkButton>
        )}
      </div>
      <p id={`${id}-said`} role="status" className="text-xs text-muted empty:hidden">
        {fetching.error === null ? (
          said
        ) : (
          <span className="text-bad">{errorText(fetching.error, t, t('channel.fetchFailed'))}</span>
        )}
      </p>
      <UnpricedWarning form={form} channelId={channelId} />
      {offer && <ModelChoice {...offer} chosen={models} onChoose={take} onClose={() => setOffer(null)} />}
    </Field>
  );
}
