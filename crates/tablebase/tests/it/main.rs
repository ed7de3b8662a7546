//! Probing compared with searches, a module for each subject, in one binary.

mod pack;
