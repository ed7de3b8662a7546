//! The options that choose the rules of a job.

use super::variants;
use crate::options::OptionFault;
use crate::variant::{NamedRules, Variant};
use clap::Args;

/// The rules of a job.
#[derive(Clone, Debug, Args)]
pub struct Rules {
    /// Rule set
    #[arg(long, default_value = Variant::NAMES[0], ignore_case = true, value_parser = variants())]
    pub variant: Variant,
    /// House rules of the variant, as options of the protocol: "Stones=7,Flying=false"
    #[arg(long, value_name = "LIST", default_value = "", hide_default_value = true)]
    pub rules: String,
}

impl Rules {
    /// Returns the chosen rules.
    ///
    /// # Errors
    /// House rules that the variant does not have.
    pub fn named(&self) -> Result<NamedRules, OptionFault> {
        NamedRules::read(self.variant, &self.rules)
    }
}
