/** What the catalogue says of a model beside its price. */
import { DESC_MAX, ICON_BYTES_MAX, MODEL_TYPES } from '@modules/model-hub/facts.ts';
import { type ReactNode, useId, useState } from 'react';
import { ChipPicker } from '@/components/chip-picker.tsx';
import { Button, buttonVariants } from '@/components/ui/button.tsx';
import { Switch } from '@/components/ui/checkbox.tsx';
import { Dialog, DialogActions, DialogContent, DialogTitle } from '@/components/ui/dialog.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input, Textarea } from '@/components/ui/input.tsx';
import { dataUrlOf } from '@/lib/data-url.ts';
import { entriesOf } from '@/lib/entries.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Words } from './draft.ts';
import type { PriceDrafts } from './use-price-drafts.ts';

const TAGS = ['Hot', 'New', 'Faster'];

const unsaid: Words = {
  icon: '',
  desc: '',
  max_token: 0,
  hide: false,
  model_type: '',
  tags: '',
  multimodal: false,
  sort: 0,
};

interface EntryDialogProps {
  name: string;
  drafts: PriceDrafts;
  onClose: () => void;
}

export function EntryDialog({ name, drafts, onClose }: EntryDialogProps) {
  const { t } = useTranslation();
  const id = useId();
  const model = drafts.model(name);
  const given: Words = { ...unsaid, ...(model && pick(model)), ...drafts.draft(name)?.words };
  const [words, setWords] = useState(given);
  const [numbers, setNumbers] = useState({ max_token: String(given.max_token), sort: String(given.sort) });
  const [iconError, setIconError] = useState<string>();
  const [wasTried, setWasTried] = useState(false);
  const set = (change: Partial<Words>) => setWords((old) => ({ ...old, ...change }));
  const wrong = (field: keyof typeof numbers) =>
    wasTried && !/^\d{1,9}$/.test(numbers[field].trim()) ? t('prices.notNumber') : undefined;

  const apply = () => {
    setWasTried(true);
    if (!Object.values(numbers).every((text) => /^\d{1,9}$/.test(text.trim()))) return;
    const next = { ...words, max_token: Number(numbers.max_token), sort: Number(numbers.sort) };
    const changed = Object.entries(next).filter(
      ([field, value]) => value !== { ...unsaid, ...model }[field as keyof Words],
    );
    if (changed.length > 0) drafts.setWords(name, Object.fromEntries(changed));
    onClose();
  };
  const chooseIcon = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > ICON_BYTES_MAX) return setIconError(t('prices.iconTooLarge'));
    setIconError(undefined);
    set({ icon: await dataUrlOf(file) });
  };
  const number = (field: keyof typeof numbers, label: string, help?: string): ReactNode => (
    <Field id={`${id}-${field}`} label={label} help={help} error={wrong(field)}>
      <Input
        id={`${id}-${field}`}
        inputMode="numeric"
        autoComplete="off"
        value={numbers[field]}
        aria-invalid={wrong(field) ? true : undefined}
        aria-describedby={`${id}-${field}-error ${id}-${field}-help`}
        onChange={(event) => setNumbers((old) => ({ ...old, [field]: event.target.value }))}
      />
    </Field>
  );
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent
        aria-describedby={undefined}
        className="top-[5vh] max-h-[90vh] w-[600px] overflow-y-auto"
      >
        <DialogTitle className="wrap-anywhere">{name}</DialogTitle>
        <div className="mt-3 grid gap-4">
          <Field id={`${id}-desc`} label={t('prices.desc')}>
            <Textarea
              id={`${id}-desc`}
              rows={3}
              maxLength={DESC_MAX}
              value={words.desc}
              onChange={(event) => set({ desc: event.target.value })}
            />
          </Field>
          <div className="grid grid-cols-2 gap-4 max-md:grid-cols-1">
            {number('max_token', t('prices.context'), t('prices.contextHelp'))}
            {number('sort', t('prices.sort'), t('prices.sortHelp'))}
          </div>
          <Field id={`${id}-tags`} label={t('prices.tags')}>
            <ChipPicker
              id={`${id}-tags`}
              label={t('prices.tags')}
              value={entriesOf(words.tags)}
              options={TAGS}
              allowNew
              onChange={(value) => set({ tags: value.join(',') })}
            />
          </Field>
          <Field id={`${id}-types`} label={t('prices.types')} help={t('prices.typesHelp')}>
            <ChipPicker
              id={`${id}-types`}
              label={t('prices.types')}
              value={entriesOf(words.model_type)}
              options={MODEL_TYPES}
              allowNew
              onChange={(value) => set({ model_type: value.join(',') })}
            />
          </Field>
          <Field id={`${id}-icon`} label={t('prices.icon')} help={t('prices.iconHelp')} error={iconError}>
            <span className="flex items-center gap-3">
              {words.icon && <img src={words.icon} alt="" className="size-8 rounded-xs object-contain" />}
              <label
                className={buttonVariants({
                  className: 'has-focus-visible:outline-2 has-focus-visible:outline-focus',
                })}
              >
                {t('prices.chooseIcon')}
                <input
                  id={`${id}-icon`}
                  type="file"
                  accept="image/png,image/jpeg,image/gif,image/webp,image/svg+xml"
                  className="sr-only"
                  onChange={(event) => void chooseIcon(event.target.files?.[0])}
                />
              </label>
              {words.icon && <Button onClick={() => set({ icon: '' })}>{t('prices.removeIcon')}</Button>}
            </span>
          </Field>
          <Toggle
            label={t('prices.multimodal')}
            on={words.multimodal}
            onChange={(multimodal) => set({ multimodal })}
          />
          <Toggle label={t('prices.hide')} on={words.hide} onChange={(hide) => set({ hide })} />
        </div>
        <DialogActions>
          <Button
            variant="danger"
            className="mr-auto"
            onClick={() => {
              drafts.remove(name);
              onClose();
            }}
          >
            {t('prices.remove')}
          </Button>
          <Button onClick={onClose}>{t('app.cancel')}</Button>
          <Button variant="primary" onClick={apply}>
            {t('prices.apply')}
          </Button>
        </DialogActions>
      </DialogContent>
    </Dialog>
  );
}

const pick = ({ icon, desc, max_token, hide, model_type, tags, multimodal, sort }: Words): Words => ({
  icon,
  desc,
  max_token,
  hide,
  model_type,
  tags,
  multimodal,
  sort,
});

interface ToggleProps {
  label: string;
  on: boolean;
  onChange: (on: boolean) => void;
}

function Toggle({ label, on, onChange }: ToggleProps) {
  const id = useId();
  return (
    <span className="flex items-center gap-2.5">
      <Switch id={id} checked={on} onChange={(event) => onChange(event.target.checked)} />
      <label htmlFor={id}>{label}</label>
    </span>
  );
}
