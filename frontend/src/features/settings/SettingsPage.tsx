// «CONFIGURACIÓN»: the background images, the settings and the alert messages of the streaming app, and the messages to
// customers whose subscription ends, a tab each.
import { Tabs } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useMay } from "../../access/session";
import { AddressWarning } from "../../ui/AddressWarning";
import { PageHeading } from "../../ui/PageHeading";
import { AlertMessages } from "./AlertMessages";
import { BackgroundImages } from "./BackgroundImages";
import { ControlTab } from "./ControlTab";
import "./mantine-settings.css";
import { RenewalMessages } from "./RenewalMessages";
import "./settings.css";
import { known, type Tab, tabs, useSettingsAddress } from "./useSettingsAddress";

const contents = {
  images: BackgroundImages,
  control: ControlTab,
  messages: AlertMessages,
  renewals: RenewalMessages,
};

export default function SettingsPage() {
  const { t } = useTranslation();
  const canChange = useMay()("APP_SETTINGS_UPDATE");
  const { tab, open } = useSettingsAddress();
  const Content = contents[tab];
  return (
    <>
      <PageHeading title={t("appSettings.title")} />
      <AddressWarning known={known} />
      <Tabs
        value={tab}
        onChange={(chosen) => open((chosen ?? "images") as Tab)}
        // Going through the tabs with the arrows must not leave one that is being written in.
        activateTabWithKeyboard={false}
        className="settings-tabs"
      >
        <Tabs.List aria-label={t("appSettings.title")}>
          {tabs.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {t(`appSettings.tabs.${one}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map((one) => (
          <Tabs.Panel key={one} value={one} pt="md">
            {one === tab && (
              <>
                {!canChange && <p className="settings-read-only">{t("appSettings.readOnly")}</p>}
                <Content canChange={canChange} />
              </>
            )}
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}
