/** The fields under one heading, with the line that saves them. */
import { CircleX } from 'lucide-react';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { useConfirm } from '@/components/confirm.tsx';
import { Button, LinkButton } from '@/components/ui/button.tsx';
import { cn } from '@/lib/cn.ts';
import { late } from '@/lib/late.tsx';
import { useLive } from '@/lib/use-live.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { isJson, type OptionField, valueText } from './field.ts';
import { OptionControl } from './option-control.tsx';
import { controlId, type Settings } from './use-settings.ts';

const ReviewDialog = late(() => import('./review-dialog.tsx').then((module) => module.ReviewDialog));

interface OptionBlockProps {
  /** Where a link to it leads. */
  anchor?: string;
  title: string;
  fields: readonly OptionField[];
  settings: Settings;
  /** Further actions, left of the save button. */
  actions?: ReactNode;
  /** Stands above the fields. */
  note?: ReactNode;
  /** Stands in the place of the fields, where they have a form of their own. */
  body?: ReactNode;
}

export function OptionBlock(props: OptionBlockProps) {
  const { anchor, title, fields, settings, actions, note, body } = props;
  const id = useId();
  return (
    <section id={anchor} aria-labelledby={id} className="rounded-md border border-line bg-surface">
      <h2 id={id} tabIndex={-1} className="border-b border-line px-4 py-3 text-base font-semibold">
        {title}
      </h2>
      {note}
      {body || fields.map((field) => <OptionRow key={field.key} field={field} settings={settings} />)}
      <SaveLine fields={fields} settings={settings} title={title} actions={actions} />
    </section>
  );
}

/** Long texts have the whole width; short controls stand at the right, in one column. */
const isWide = (field: OptionField) => field.kind === 'json' || field.kind === 'lines';

interface OptionRowProps {
  field: OptionField;
  settings: Settings;
  /** The text was asked for already. */
  unfolded?: boolean;
}

/** Most who come by read no JSON, and what it holds is long: it is shown when it is asked for. */
export function OptionRow({ field, settings, unfolded = false }: OptionRowProps) {
  const { t } = useTranslation();
  const [isOpened, setOpened] = useState(false);
  const confirmed = useConfirmedChange(field, settings);
  const id = controlId(field);
  const text = settings.text(field);
  const error = settings.error(field);
  const isChanged = text !== field.value;
  const isFolded = field.kind === 'json' && !unfolded;
  const isShown = !isFolded || isOpened || isChanged || error !== undefined;
  useEffect(() => {
    if (isOpened) document.getElementById(id)?.focus();
  }, [isOpened, id]);
  return (
    <div
      className={cn(
        'grid gap-x-8 gap-y-2 border-b border-line px-4 py-3',
        !isWide(field) && 'md:grid-cols-[minmax(0,1fr)_300px]',
      )}
    >
      <div className="min-w-0">
        <label htmlFor={isShown ? id : undefined} className="text-sm font-medium">
          {field.label}
          {isChanged && (
            <>
              <span aria-hidden="true" className="ml-1.5 inline-block size-1.5 rounded-full bg-accent" />
              <span className="sr-only">{t('setting.changed')}</span>
            </>
          )}
        </label>
        {field.help && (
          <p id={`${id}-help`} className="text-xs text-muted">
            {field.help}
          </p>
        )}
        <p className="font-mono text-xs break-all text-faint">{field.key}</p>
      </div>
      {!isShown && <FoldedText field={field} text={text} onOpen={() => setOpened(true)} />}
      {isShown && (
        <div className="grid min-w-0 content-start gap-1.5">
          <OptionControl
            field={field}
            text={text}
            error={error}
            onText={confirmed}
            onLeave={() => settings.leave(field)}
          />
          {error && (
            <p id={`${id}-error`} className="flex gap-1.5 text-xs text-bad">
              <CircleX className="mt-0.5 size-3.5 shrink-0" aria-hidden="true" />
              {error}
            </p>
          )}
          <ResetLine field={field} settings={settings} text={text} />
        </div>
      )}
    </div>
  );
}

/** How much a text holds, and the way to it. */
function FoldedText({ field, text, onOpen }: { field: OptionField; text: string; onOpen: () => void }) {
  const { t } = useTranslation();
  const count = isJson(text) ? Object.keys(JSON.parse(text) ?? {}).length : null;
  return (
    <p className="flex flex-wrap items-baseline gap-x-3 text-xs text-muted max-md:leading-11">
      {count !== null && <span className="tabular-nums">{t('setting.entries', { count })}</span>}
      <LinkButton aria-label={t('setting.asTextOf', { option: field.label })} onClick={onOpen}>
        {t('setting.asText')}
      </LinkButton>
    </p>
  );
}

/** Turning password sign-in off can lock people out, so it is asked first; saying no leaves the switch as it was. */
function useConfirmedChange(field: OptionField, settings: Settings): (text: string) => void {
  const { t } = useTranslation();
  const confirm = useConfirm();
  return (text) => {
    if (field.key !== 'PasswordLoginEnabled' || text !== 'false') return settings.set(field, text);
    void confirm({
      title: t('setting.passwordOffTitle'),
      body: t('setting.passwordOffBody'),
      action: t('setting.passwordOff'),
      danger: true,
    }).then((yes) => {
      if (yes) settings.set(field, text);
    });
  };
}

const SHORT = 40;

function ResetLine({ field, settings, text }: { field: OptionField; settings: Settings; text: string }) {
  const { t } = useTranslation();
  if (!field.is_set) return null;
  if (field.secret) {
    return (
      <LinkButton
        className="justify-self-start text-xs max-md:leading-11"
        onClick={() => void settings.reset(field)}
      >
        {t('setting.removeSecret')}
      </LinkButton>
    );
  }
  const original = field.default;
  if (original === undefined || text === original) return null;
  const isShort = original !== '' && original.length <= SHORT && !original.includes('\n');
  return (
    <p className="flex flex-wrap gap-x-2 text-xs text-muted max-md:leading-11">
      {isShort && field.kind !== 'boolean' && (
        <span>{t('setting.default', { value: valueText(field, original, t) })}</span>
      )}
      <LinkButton onClick={() => settings.set(field, original)}>{t('setting.restore')}</LinkButton>
    </p>
  );
}

interface SaveLineProps extends OptionBlockProps {
  title: string;
}

function SaveLine({ title, fields, settings, actions }: SaveLineProps) {
  const { t } = useTranslation();
  const live = useLive();
  const [reviewing, setReviewing] = useState(false);
  const changed = settings.changed(fields);
  const busy = settings.saving !== null && settings.saving === fields[0]?.block;
  return (
    <div
      className={cn(
        'flex flex-wrap items-center gap-2 rounded-b-md bg-surface px-4 py-2.5 data-[dirty]:sticky data-[dirty]:bottom-0 data-[dirty]:z-[5] data-[dirty]:border-t data-[dirty]:border-line',
        // What nothing comes of yet keeps its room, so that nothing moves when it comes.
        !live && 'invisible',
      )}
      data-dirty={changed.length > 0 || undefined}
    >
      <span role="status" className="text-sm">
        {changed.length > 0 && t('setting.changes', { count: changed.length })}
      </span>
      <span className="ml-auto flex flex-wrap gap-2">
        {actions}
        {changed.length > 0 && (
          <>
            <Button variant="ghost" onClick={() => settings.undo(fields)}>
              {t('setting.undo')}
            </Button>
            <Button onClick={() => setReviewing(true)}>{t('setting.review')}</Button>
          </>
        )}
        <Button
          variant={changed.length > 0 ? 'primary' : 'default'}
          busy={busy}
          aria-label={`${t('app.save')}: ${title}`}
          onClick={() => void settings.save(fields)}
        >
          {busy ? t('app.saving') : t('app.save')}
        </Button>
      </span>
      {reviewing && (
        <ReviewDialog
          changes={changed.map((field) => ({
            label: field.label,
            before: field.secret ? null : valueText(field, field.value, t),
            after: field.secret ? null : valueText(field, settings.text(field), t),
          }))}
          onClose={() => setReviewing(false)}
          onSave={() => {
            setReviewing(false);
            void settings.save(fields);
          }}
        />
      )}
    </div>
  );
}
