//! Tests of the rules and the search as a whole, a module for each subject, in one binary.

mod battery;
mod bench;
mod dao;
mod endings;
mod levels;
mod lines;
mod minimax;
mod perft;
mod returning;
mod searches;
mod third_family;
mod three_men;
