import { APPLICATION_TYPES } from '@modules/application/facts.ts';
import { useState } from 'react';
import { DrawerForm } from '@/components/drawer-form.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Field } from '@/components/ui/field.tsx';
import { Input, Textarea } from '@/components/ui/input.tsx';
import { Select } from '@/components/ui/select.tsx';
import { failureNotice } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import type { Form } from '@/lib/use-form.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import {
  type Application,
  type ApplicationValues,
  applicationErrors,
  bodyOf,
  valuesOf,
} from './application.ts';
import { Choices } from './choices.tsx';
import { useEntryHead } from './entry-drawer.tsx';
import { useDeskForm } from './use-desk-form.ts';

export interface ApplicationDrawerProps {
  /** Null for a new one. */
  application: Application | null;
  /** All that there are. */
  groups: readonly string[];
}

export function ApplicationDrawer({ application, groups }: ApplicationDrawerProps) {
  const { t } = useTranslation();
  const head = useEntryHead();
  const api = useApi();
  const [initial] = useState(() => valuesOf(application));
  const { form, saved, close } = useDeskForm<ApplicationValues>({
    initial,
    validate: (values) => applicationErrors(values, t),
    save: (values) => {
      const body = bodyOf(values);
      return application
        ? api.send('PUT', '/api/application/admin/:id', { params: { id: String(application.id) }, body })
        : api.send('POST', '/api/application/admin', { body });
    },
    done: t(application ? 'application.updated' : 'application.created'),
  });
  return (
    <DrawerForm {...head} form={form} submitLabel={t('app.save')} saved={saved} onClose={close}>
      <ApplicationFields form={form} groups={groups} />
    </DrawerForm>
  );
}

function ApplicationFields({ form, groups }: { form: Form<ApplicationValues>; groups: readonly string[] }) {
  const { t } = useTranslation();
  const { values } = form;
  // Of a group that is gone since, too.
  const offered = [...new Set([...groups, ...values.groups])];
  return (
    <>
      <Field
        id={form.id('name')}
        label={t('application.name')}
        required
        error={form.error('name')}
        help={t('application.nameHelp')}
      >
        <Input {...form.text('name')} autoComplete="off" spellCheck={false} />
      </Field>
      <Field
        id={form.id('displayName')}
        label={t('application.displayName')}
        required
        error={form.error('displayName')}
      >
        <Input {...form.text('displayName')} autoComplete="off" />
      </Field>
      <Field
        id={form.id('version')}
        label={t('application.version')}
        required
        error={form.error('version')}
        help={t('application.versionHelp')}
      >
        <Input {...form.text('version')} autoComplete="off" spellCheck={false} />
      </Field>
      <Field id={form.id('dxt')} label={t('application.dxt')} required error={form.error('dxt')}>
        <Input {...form.text('dxt')} inputMode="url" autoComplete="off" spellCheck={false} />
        <DefaultAddress form={form} />
      </Field>
      <Field
        id={form.id('description')}
        label={t('application.description')}
        error={form.error('description')}
      >
        <Textarea {...form.text('description')} rows={4} />
      </Field>
      <Field id={form.id('homepage')} label={t('application.homepage')} error={form.error('homepage')}>
        <Input {...form.text('homepage')} inputMode="url" autoComplete="off" spellCheck={false} />
      </Field>
      <Field id={form.id('type')} label={t('application.type')}>
        <Select
          id={form.id('type')}
          value={values.type}
          onChange={(event) => {
            const type = APPLICATION_TYPES.find((one) => one === event.target.value);
            if (type) form.set('type', type);
          }}
        >
          {APPLICATION_TYPES.map((type) => (
            <option key={type} value={type}>
              {t(`application.type.${type}`)}
            </option>
          ))}
        </Select>
      </Field>
      <Field id={form.id('rank')} label={t('application.rank')} help={t('application.rankHelp')}>
        <Input {...form.text('rank')} inputMode="text" autoComplete="off" className="tabular-nums" />
      </Field>
      <Choices
        id={form.id('groups')}
        label={t('application.groups')}
        help={t('application.groupsHelp')}
        options={offered.map((value) => ({ value, label: value }))}
        value={values.groups}
        onChange={(next) => form.set('groups', next)}
      />
    </>
  );
}

/** Fills the address in; the name and the version must be good for it. */
function DefaultAddress({ form }: { form: Form<ApplicationValues> }) {
  const { t } = useTranslation();
  const api = useApi();
  const { values } = form;
  const generate = useAction(async () => {
    form.leave('name');
    form.leave('version');
    const wrong = applicationErrors(values, t);
    if (wrong.name || wrong.version) return;
    try {
      const query = { name: values.name.trim(), version: values.version.trim() };
      form.set('dxt', await api.get('/api/application/admin/dxt_url', { query }));
    } catch (error) {
      notify(failureNotice(error, t));
    }
  });
  return (
    <Button
      size="sm"
      className="justify-self-start"
      busy={generate.pending}
      onClick={() => void generate.run()}
    >
      {t('application.generate')}
    </Button>
  );
}
