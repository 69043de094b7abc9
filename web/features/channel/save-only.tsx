import { type RefObject, useRef } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { useTranslation } from '@/lib/use-translation.ts';

/** Whether the form that is being sent tests its channel once it is saved: true but for the button beside its own. */
export const useWithTest = (): RefObject<boolean> => useRef(true);

interface SaveOnlyProps {
  form: { onSubmit: () => void };
  withTest: RefObject<boolean>;
}

/** Sends the form without a test after it. */
export function SaveOnly({ form, withTest }: SaveOnlyProps) {
  const { t } = useTranslation();
  return (
    <Button
      size="lg"
      onClick={() => {
        withTest.current = false;
        form.onSubmit();
        withTest.current = true;
      }}
    >
      {t('app.save')}
    </Button>
  );
}
